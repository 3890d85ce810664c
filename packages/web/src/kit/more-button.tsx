// Loads the next page of a list.
import { Button } from './button.tsx';

interface MoreButtonProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label: string;
}

export function MoreButton({ list, label }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className="mt-4">
      <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
