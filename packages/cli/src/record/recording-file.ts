/**
 * The file of a recording or a record. It is new and private to its owner. Each line is written before the next event is
 * requested.
 */
import { closeSync, openSync, writeSync } from 'node:fs'
import { fileError } from '../cli-error.ts'

/** An open recording. */
export interface RecordingFile {
  line(text: string): void
  close(): void
}

/** @throws CliError `CLI_INPUT_UNREADABLE` if the file exists or cannot be written. */
export function createRecordingFile(file: string): RecordingFile {
  const attempt = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'unknown reason'
      throw fileError(
        file,
        code === 'EEXIST'
          ? 'must not exist yet: no file is overwritten. Name a new file'
          : `cannot be written: ${code}`,
      )
    }
  }
  const handle = attempt(() => openSync(file, 'wx', 0o600))
  return {
    line: (text) => {
      attempt(() => {
        const bytes = Buffer.from(`${text}\n`)
        for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written)
      })
    },
    close: () => closeSync(handle),
  }
}
