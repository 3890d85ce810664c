// Tells API refusals from other failures.
import { ApiError } from '@botel/contract/client';

export function isApiError(error: unknown): error is ApiError {
  return error instanceof ApiError;
}
