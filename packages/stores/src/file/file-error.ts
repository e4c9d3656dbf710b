/** Errors of the file driver. They contain paths, but never the content of a file. */
import { StoresError } from '../stores-error.ts'

/** The error for a file or directory that other users can access. */
export function insecurePermissions(path: string, reason: string): StoresError<'STORE_INSECURE_PERMISSIONS'> {
  return new StoresError('STORE_INSECURE_PERMISSIONS', `${path}: ${reason}`, { details: { path, reason } })
}

/** The error for a file that is not a complete record. */
export function corrupt(path: string, reason: string): StoresError<'STORE_CORRUPT'> {
  return new StoresError('STORE_CORRUPT', `${path}: ${reason}`, { details: { path, reason } })
}

/** The code of a system error, such as `'ENOENT'`. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

const MAY_PASS = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY'])

/**
 * Converts a system error to this package's error. Other errors, such as a signal's reason, are returned
 * unchanged.
 */
function asStoresError(operation: string, error: unknown): unknown {
  const errno = errorCode(error)
  if (errno === undefined || typeof (error as { syscall?: unknown }).syscall !== 'string') return error
  const { path } = error as { readonly path?: unknown }
  const where = typeof path === 'string' ? ` for ${path}` : ''
  return new StoresError('STORE_IO', `${operation}: the file system returned ${errno}${where}`, {
    details: { operation, reason: errno },
    retryable: MAY_PASS.has(errno),
    cause: error,
  })
}

/** Runs `work` and converts its system errors to this package's error. */
export async function withStoresErrors<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asStoresError(operation, error)
  }
}
