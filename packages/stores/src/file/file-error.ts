/** Failures of the file driver. Paths are named; what a file holds never is. */
import { StoresError } from '../stores-error.ts'

/** A file or directory that others could have written, or can read. */
export function unsafe(path: string, reason: string): StoresError<'STORE_INSECURE_PERMISSIONS'> {
  return new StoresError('STORE_INSECURE_PERMISSIONS', `${path}: ${reason}`, { details: { path, reason } })
}

/** A file that is not a whole record. */
export function corrupt(path: string, reason: string): StoresError<'STORE_CORRUPT'> {
  return new StoresError('STORE_CORRUPT', `${path}: ${reason}`, { details: { path, reason } })
}

/** The code of a system error, such as `'ENOENT'`. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

const MAY_PASS = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'EBUSY'])

/** What the host said, as this package's error. All others pass through, a signal's reason among them. */
function asStoresError(operation: string, error: unknown): unknown {
  const errno = errnoOf(error)
  if (errno === undefined || typeof (error as { syscall?: unknown }).syscall !== 'string') return error
  const { path } = error as { readonly path?: unknown }
  const where = typeof path === 'string' ? ` for ${path}` : ''
  return new StoresError('STORE_IO', `${operation}: the file system answered ${errno}${where}`, {
    details: { operation, reason: errno },
    retryable: MAY_PASS.has(errno),
    cause: error,
  })
}

/** Turns the host's refusals into this package's error. */
export async function guarded<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asStoresError(operation, error)
  }
}
