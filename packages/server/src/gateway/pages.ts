// The gateway's own answers: self-contained pages, or the API's envelope for programs. Pure.
import { createHash } from 'node:crypto';
import type { GatewayFault } from '../core/domain/gateway-fault.ts';

export interface Page {
  status: number;
  headers: [string, string][];
  body: string;
}

const style = `:root{color-scheme:light dark;--bg:#fafafa;--fg:#18181b;--dim:#52525b;--line:#e4e4e7}
@media(prefers-color-scheme:dark){:root{--bg:#111113;--fg:#f4f4f5;--dim:#a1a1aa;--line:#2e2e33}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,sans-serif}
main{max-width:34rem;padding:2rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem}p{margin:0 0 .75rem}
.code{color:var(--dim);font:13px/1.5 ui-monospace,monospace;border-top:1px solid var(--line);padding-top:.75rem;margin-top:1.25rem}
.advice{color:var(--dim)}`;

const styleHash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** `accept`: the request's Accept header. */
export function pageOf(fault: GatewayFault, accept: string): Page {
  const isForPeople = /\btext\/html\b/i.test(accept);
  const body = isForPeople ? html(fault) : `${JSON.stringify({ success: false, error: sentence(fault) })}\n`;
  return {
    status: fault.status,
    headers: [
      ['Content-Type', isForPeople ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8'],
      ['Content-Length', String(Buffer.byteLength(body))],
      ['X-Error-Code', fault.code],
      ['Cache-Control', 'no-store'],
      ['Vary', 'Accept'],
      ['X-Robots-Tag', 'noindex'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ...(isForPeople ? [['Content-Security-Policy', policy] as [string, string]] : []),
      ...(fault.retryAfter !== undefined ? [['Retry-After', String(fault.retryAfter)] as [string, string]] : []),
    ],
    body,
  };
}

/** Head and body of an answer on a connection without a request; the connection closes after it. */
export function rawPage(fault: GatewayFault): string {
  const { status, headers, body } = pageOf(fault, '');
  const lines = [...headers, ['Connection', 'close']].map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${fault.title}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function sentence({ text, advice }: GatewayFault): string {
  return advice === undefined ? text : `${text} ${advice}`;
}

/** Texts are the gateway's own and contain no visitor input. */
function html({ status, code, title, text, advice }: GatewayFault): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
${advice === undefined ? '' : `<p class="advice">Is this your bot? ${advice}</p>\n`}<p class="code">${status} ${code}</p>
</main>
</body>
</html>
`;
}
