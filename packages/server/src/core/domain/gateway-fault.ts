// Answers of the gateway in place of a bot, with advice for the bot's owner. Pure.

const gatewayFaultCodes = [
  'bad_request',
  'host_not_valid',
  'app_not_found',
  'method_not_allowed',
  'request_timeout',
  'head_too_large',
  'app_over_limit',
  'visitor_over_limit',
  'gateway_failed',
  'bot_not_listening',
  'bot_answer_not_valid',
  'bot_connection_lost',
  'bot_offline',
  'bot_starting',
  'bot_answer_late',
] as const;

export type GatewayFaultCode = (typeof gatewayFaultCodes)[number];

export interface GatewayFault {
  code: GatewayFaultCode;
  status: number;
  /** A few words. */
  title: string;
  /** One sentence for a visitor. */
  text: string;
  /** One sentence for the bot's owner. */
  advice?: string;
  /** Seconds after which a retry may succeed. */
  retryAfter?: number;
}

/** A bot may also send this status itself. */
export const overLimitStatus = 429;

type Wording = Omit<GatewayFault, 'code'>;

const wordings: Record<GatewayFaultCode, Wording> = {
  bad_request: { status: 400, title: 'Bad request', text: 'This request is not valid HTTP.' },
  host_not_valid: { status: 400, title: 'Bad request', text: 'The Host header is missing or not valid.' },
  app_not_found: { status: 404, title: 'No such app', text: 'There is no app at this address.' },
  method_not_allowed: { status: 405, title: 'Method not allowed', text: 'This method is not served here.' },
  request_timeout: { status: 408, title: 'Request timeout', text: 'The request did not arrive in time.' },
  head_too_large: { status: 431, title: 'Request too large', text: 'The headers of this request are too large.' },
  app_over_limit: {
    status: overLimitStatus,
    title: 'Too many requests',
    text: 'This app gets more requests than it may.',
    retryAfter: 1,
  },
  visitor_over_limit: {
    status: overLimitStatus,
    title: 'Too many requests',
    text: 'More requests to this app come from your address than one may send.',
    retryAfter: 1,
  },
  gateway_failed: { status: 500, title: 'Internal error', text: 'The gateway could not serve this request.' },
  bot_not_listening: {
    status: 502,
    title: 'The bot does not listen',
    text: 'The bot behind this app runs, but accepts no connections.',
    advice: 'Listen on 0.0.0.0 (not on localhost) and on the port in the environment variable PORT.',
  },
  bot_answer_not_valid: {
    status: 502,
    title: 'Bad answer',
    text: 'The bot behind this app sent an answer that is not valid HTTP.',
    advice: 'Speak plain HTTP/1.1 on the port in the environment variable PORT.',
  },
  bot_connection_lost: {
    status: 502,
    title: 'Connection lost',
    text: 'The bot behind this app closed the connection before it answered.',
    advice: 'Look into the log of the bot: it may have crashed, or closed the connection itself.',
  },
  bot_offline: {
    status: 503,
    title: 'The bot is offline',
    text: 'The bot behind this app does not run at this moment.',
    retryAfter: 30,
  },
  bot_starting: {
    status: 503,
    title: 'The bot is starting',
    text: 'The bot behind this app is starting. Try again in a moment.',
    retryAfter: 5,
  },
  bot_answer_late: {
    status: 504,
    title: 'No answer in time',
    text: 'The bot behind this app did not answer in time.',
    advice: 'Answer within two minutes, or begin the answer and stream the rest.',
  },
};

/** The fault, with parts overridden by `more`. */
export function gatewayFault(code: GatewayFaultCode, more: Partial<Wording> = {}): GatewayFault {
  return { code, ...wordings[code], ...more };
}
