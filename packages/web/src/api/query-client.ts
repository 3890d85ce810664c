// The query cache of all pages. The live connection keeps it fresh, so nothing is refetched because
// of its age.
import { QueryClient } from '@tanstack/react-query';
import { isApiError } from '../lib/api-error.ts';

const maxTries = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // `navigator.onLine` is often wrong on machines without a gateway.
      networkMode: 'always',
      retry: (failures, error) =>
        failures < maxTries && isApiError(error) && (error.status === 0 || error.status >= 502),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always' },
  },
});
