// Reads the next page of a list, where there is one.
import { Button } from '../../kit/button.tsx';
import { t } from '../../texts/text.ts';

interface PagedList {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

export function MoreButton({ list }: { list: PagedList }) {
  if (!list.hasNextPage) return null;
  return (
    <div className="mt-4">
      <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {t('admin.more')}
      </Button>
    </div>
  );
}
