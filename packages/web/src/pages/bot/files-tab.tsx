// The tab "files" of a bot: its folders beside the files that are open. Folder and file stand in the address.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { DropZone } from '../../files/drop-zone.tsx';
import { EditorPane } from '../../files/editor-pane.tsx';
import { viewOf } from '../../files/file-kinds.ts';
import { FolderPane } from '../../files/folder-pane.tsx';
import { readFoldersAgain } from '../../files/folder-view.ts';
import { ImageView } from '../../files/image-view.tsx';
import type { Drop } from '../../files/drop-filter.ts';
import { downloadAddress } from '../../files/files-api.ts';
import { openFilesOf } from '../../files/open-files.ts';
import { UploadDialog } from '../../files/upload-dialog.tsx';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { useLeaveGuard } from '../../kit/use-leave-guard.ts';
import { classes } from '../../lib/classes.ts';
import { t } from '../../texts/text.ts';

interface Upload {
  id: number;
  drop: Promise<Drop>;
  unpacks: boolean;
}

let lastUpload = 0;

export function FilesTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { path = '', open } = useSearch({ from: '/shell/bots/$botId/files' });
  const navigate = useNavigate();
  const files = openFilesOf(botId);
  const tabs = useSyncExternalStore(files.tabs.subscribe, files.tabs.get);
  const [upload, setUpload] = useState<Upload | null>(null);
  const [sizes, setSizes] = useState<ReadonlyMap<string, number>>(new Map());
  useLeaveGuard(files.hasChanges(), t('files.leave'));
  const go = (search: { path?: string | undefined; open?: string | undefined }) =>
    void navigate({
      to: '/bots/$botId/files',
      params: { botId },
      search: { path: path || undefined, open, ...search },
    });
  const take = (drop: Promise<Drop>, unpacks: boolean) => setUpload({ id: ++lastUpload, drop, unpacks });
  // The size is known of files that were chosen in the list; an address names them without.
  const view = open === undefined ? null : viewOf(open, sizes.get(open) ?? 0);
  const isText = view?.kind === 'text';
  useEffect(() => {
    if (open !== undefined && isText) void files.open(open);
  }, [files, open, isText]);
  const isEditing = open !== undefined;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
      <div className={classes('min-w-0', isEditing && 'max-lg:hidden')}>
        <FolderPane
          botId={botId}
          path={path}
          shown={open}
          onFolder={(next) => go({ path: next || undefined })}
          onOpen={(next, size) => {
            setSizes(new Map(sizes).set(next, size));
            go({ open: next });
          }}
          onUpload={take}
        />
      </div>
      <div className={classes('min-w-0', !isEditing && 'max-lg:hidden')}>
        {isEditing && (
          <Button className="mb-2 lg:hidden" size="small" onClick={() => go({ open: undefined })}>
            {t('files.back_to_list')}
          </Button>
        )}
        {view?.kind === 'image' && open && (
          <Card>
            <ImageView key={open} botId={botId} path={open} type={view.type} />
          </Card>
        )}
        {view?.kind === 'too_big' && open && (
          <Card>
            <p className="mb-3 text-muted">{t('files.too_big')}</p>
            <a className="font-medium text-accent underline" href={downloadAddress(botId, open)}>
              {t('files.download')}
            </a>
          </Card>
        )}
        {view?.kind === 'text' && open && (
          <EditorPane botId={botId} files={files} tabs={tabs} shown={open} onShow={(next) => go({ open: next })} />
        )}
        {!isEditing && (
          <p className="rounded-card border border-dashed border-edge p-10 text-center text-muted">
            {t('files.nothing_open')}
          </p>
        )}
      </div>
      <DropZone folder={path} onDrop={(drop) => take(drop, true)} />
      {upload && (
        <UploadDialog
          key={upload.id}
          id={upload.id}
          botId={botId}
          folder={path}
          drop={upload.drop}
          unpacks={upload.unpacks}
          onDone={() => void readFoldersAgain(botId)}
          onClose={() => setUpload(null)}
        />
      )}
    </div>
  );
}
