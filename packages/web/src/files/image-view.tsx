// Shows an image of the bot's files out of its bytes: never as a page of this site.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { t } from '../texts/text.ts';
import { nameOf } from './file-kinds.ts';
import { readFile } from './files-api.ts';

export function ImageView({ botId, path, type }: { botId: string; path: string; type: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['image', botId, path],
    queryFn: async ({ signal }) => new Blob([(await readFile(botId, path, signal)).bytes], { type }),
    gcTime: 0,
  });
  if (error) return <ErrorCard error={error} retry={() => void refetch()} />;
  return data ? <Picture blob={data} name={nameOf(path)} /> : <Skeleton rows={1} height="12rem" />;
}

function Picture({ blob, name }: { blob: Blob; name: string }) {
  const [address] = useState(() => URL.createObjectURL(blob));
  useEffect(() => () => void setTimeout(() => URL.revokeObjectURL(address), 1000), [address]);
  return <img src={address} alt={t('files.image_of', { name })} className="max-h-[60dvh] max-w-full rounded-lg" />;
}
