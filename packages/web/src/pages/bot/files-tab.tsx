// The tab "files" of a bot.
import { useParams } from '@tanstack/react-router';

export function FilesTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  return <div data-bot={botId} />;
}
