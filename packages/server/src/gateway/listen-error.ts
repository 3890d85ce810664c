// Explains to the operator in one sentence why the gateway can't listen.

/** Returns the error itself when there is no better explanation. */
export function toListenError(
  error: NodeJS.ErrnoException,
  { gatewayHost, gatewayPort }: { gatewayHost: string; gatewayPort: number | null },
): Error {
  const where = `port ${gatewayPort} on ${gatewayHost}`;
  const hint = 'set BOTEL_GATEWAY_PORT to another one, or to off';
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`The gateway of apps can't listen: ${where} is taken by another program; ${hint}`);
    case 'EACCES':
      return new Error(`The gateway of apps can't listen: this user may not take ${where}; ${hint}`);
    case 'EADDRNOTAVAIL':
      return new Error(`The gateway of apps can't listen: ${gatewayHost} is not an address of this machine`);
    default:
      return error;
  }
}
