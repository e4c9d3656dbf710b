/** Errors of a file sink: of the file system, and of a file that another program writes. */
import type { RelayError } from '../relay-error.ts'
import { sinkMisconfigured, sinkUnavailable } from './sink-errors.ts'

/** Error codes of a path that is not a directory, or belongs to another user. */
const PERMANENT_ERRORS = new Set(['EACCES', 'EEXIST', 'EISDIR', 'ELOOP', 'ENOTDIR', 'EPERM', 'EROFS'])

/** Creates the error of a file that temporarily cannot be read or written. */
export function fileUnavailable(name: string, error: unknown): RelayError {
  return sinkUnavailable(name, errorCode(error), error)
}

/** Creates the error of a file that another program has written. */
export function foreignFile(name: string): RelayError {
  const text = `file of ${name} must have lines of a relay only; received another line. Move the file to another directory.`
  return sinkMisconfigured(name, text, {
    setting: 'file',
    expected: 'lines of a relay',
    received: 'another line',
  })
}

/** Converts an error of the file system. An error that waiting does not correct is not retried. */
export function toRelayError(
  { name, directory }: { readonly name: string; readonly directory: string },
  error: unknown,
): RelayError {
  const code = errorCode(error)
  if (!PERMANENT_ERRORS.has(code)) return fileUnavailable(name, error)
  const text = `directory ${directory} must be writable for the files of ${name}; received ${code}. Use a directory that this user may write.`
  const mismatch = { setting: 'directory', expected: 'a directory to write to', received: code }
  return sinkMisconfigured(name, text, mismatch, error)
}

const errorCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'an error'
