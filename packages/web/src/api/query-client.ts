// The cache of all pages. The live connection keeps it true, so nothing is read again for its age alone.
import { QueryClient } from '@tanstack/react-query';
import { isApiError } from '../lib/api-error.ts';

const maxTries = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // The browser's own idea of being online is often wrong on machines without a gateway.
      networkMode: 'always',
      retry: (failures, error) =>
        failures < maxTries && isApiError(error) && (error.status === 0 || error.status >= 502),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
});
