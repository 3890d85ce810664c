// Shows an image from its bytes, never as a page of this site.
import { useEffect, useState } from 'react';
import { t } from '../texts/text.ts';
import { nameOf } from './file-kinds.ts';

/** One element per image. */
export function ImageView({ path, blob }: { path: string; blob: Blob }) {
  const [address] = useState(() => URL.createObjectURL(blob));
  useEffect(() => () => void setTimeout(() => URL.revokeObjectURL(address), 1000), [address]);
  return (
    <img
      src={address}
      alt={t('files.image_of', { name: nameOf(path) })}
      className="mx-auto max-h-[60dvh] max-w-full rounded-lg"
    />
  );
}
