// Converts apps to the JSON of the contract. Pure.
import type { AppData } from '@botel/contract/apps';
import { quantile } from '../../core/domain/response-times.ts';
import { statusOf } from '../../core/domain/status.ts';
import type { AppView } from '../services/apps.ts';
import { isoTime } from '../../core/http/present.ts';

export function presentApp({ app, bot, url, traffic }: AppView): AppData {
  return {
    id: app.id,
    name: app.name,
    url,
    bot_id: app.botId,
    port: app.port,
    health_path: app.healthPath,
    status: statusOf(bot),
    last_request_at: traffic.lastAt === null ? null : isoTime(traffic.lastAt),
    requests_24h: traffic.requests,
    errors_24h: traffic.errors,
    refused_24h: traffic.refused,
    ms_p50_24h: quantile(traffic.times, 0.5, traffic.msMax),
    ms_p95_24h: quantile(traffic.times, 0.95, traffic.msMax),
    created_at: isoTime(app.createdAt),
  };
}
