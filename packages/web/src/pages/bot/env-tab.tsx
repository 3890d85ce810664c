// The tab "env" of a bot.
import { useParams } from '@tanstack/react-router';

export function EnvTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  return <div data-bot={botId} />;
}
