// The Files tab of a bot: the folder tree, and beside it a folder or the open files, as the URL
// says.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FolderTree } from 'lucide-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { botQuery } from '../../api/queries.ts';
import type { Drop } from '../../files/drop-filter.ts';
import { DropZone } from '../../files/drop-zone.tsx';
import { EditorPane } from '../../files/editor-pane.tsx';
import { folderOf } from '../../files/file-kinds.ts';
import { FileTree } from '../../files/file-tree.tsx';
import { FolderPane } from '../../files/folder-pane.tsx';
import { readFoldersAgain } from '../../files/folder-view.ts';
import { openFilesOf } from '../../files/open-files.ts';
import { QuotaBar } from '../../files/quota-bar.tsx';
import { TabStrip } from '../../files/tab-strip.tsx';
import { treeStateOf } from '../../files/tree-state.ts';
import { UploadDialog } from '../../files/upload-dialog.tsx';
import { Button } from '../../kit/button.tsx';
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
  useLeaveGuard(files.hasChanges(), t('files.leave'));
  /** The folder list or a file, whichever is open. */
  const go = (search: { path: string } | { open: string }) =>
    void navigate({
      to: '/bots/$botId/files',
      params: { botId },
      search: 'path' in search && search.path === '' ? {} : search,
    });
  const folder = open === undefined ? path : folderOf(open);
  const take = (drop: Promise<Drop>, unpacks: boolean) => setUpload({ id: ++lastUpload, drop, unpacks });
  useEffect(() => {
    if (open !== undefined) void files.open(open);
  }, [files, open]);
  const tab = tabs.find((each) => each.path === open);
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[15rem_minmax(0,1fr)] wide:grid-cols-[17rem_minmax(0,1fr)]">
      <Places
        botId={botId}
        folder={folder}
        shown={open}
        onFolder={(next) => go({ path: next })}
        onFile={(next) => go({ open: next })}
      />
      <div className="min-w-0">
        {tabs.length > 0 && (
          <TabStrip
            files={files}
            tabs={tabs}
            folder={folder}
            shown={open}
            onShow={(next) => go({ open: next })}
            onList={() => go({ path: folder })}
          />
        )}
        {open === undefined ? (
          <FolderPane
            botId={botId}
            path={path}
            onFolder={(next) => go({ path: next })}
            onOpen={(next) => go({ open: next })}
            onUpload={take}
          />
        ) : (
          tab && <EditorPane botId={botId} files={files} tab={tab} />
        )}
      </div>
      <DropZone folder={folder} onDrop={(drop) => take(drop, true)} />
      {upload && (
        <UploadDialog
          key={upload.id}
          id={upload.id}
          botId={botId}
          folder={folder}
          drop={upload.drop}
          unpacks={upload.unpacks}
          onDone={() => void readFoldersAgain(botId)}
          onClose={() => setUpload(null)}
        />
      )}
    </div>
  );
}

interface PlacesProps {
  botId: string;
  folder: string;
  shown: string | undefined;
  onFolder: (path: string) => void;
  onFile: (path: string) => void;
}

/**
 * The tree and how full the disk is. Where there is no room beside the list, the tree comes when it
 * is asked for.
 */
function Places({ botId, folder, shown, onFolder, onFile }: PlacesProps) {
  const { data: bot } = useQuery(botQuery(botId));
  const state = treeStateOf(botId);
  const isShown = useSyncExternalStore(state.isShown.subscribe, state.isShown.get);
  return (
    <aside
      aria-label={t('files.tree')}
      className="flex min-h-0 flex-col rounded-card bg-surface shadow-card lg:sticky lg:top-4 lg:max-h-[calc(100dvh-2rem)]"
    >
      <Button
        variant="quiet"
        icon={<FolderTree className="size-4" aria-hidden />}
        aria-expanded={isShown}
        aria-controls="file-tree"
        className="m-1 justify-start! lg:hidden"
        onClick={() => state.isShown.set(!isShown)}
      >
        {t(isShown ? 'files.tree_hide' : 'files.tree_show')}
      </Button>
      <div
        id="file-tree"
        className={classes('flex min-h-0 flex-col max-lg:max-h-[60dvh]', !isShown && 'max-lg:hidden')}
      >
        <FileTree
          key={botId}
          botId={botId}
          state={state}
          folder={folder}
          shown={shown}
          onFolder={(path) => {
            state.isShown.set(false);
            onFolder(path);
          }}
          onFile={(path) => {
            state.isShown.set(false);
            onFile(path);
          }}
        />
      </div>
      <div className="border-t border-line p-3">{bot && <QuotaBar bot={bot} />}</div>
    </aside>
  );
}
