// The tab "console" of a bot.
import { useParams } from '@tanstack/react-router';

export function ConsoleTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  return <div data-bot={botId} />;
}
