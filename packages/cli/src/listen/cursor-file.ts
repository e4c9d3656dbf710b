/**
 * Cursors of one listener in one file, as the store that the streams write to. The file is replaced as a whole: whenever
 * the process is killed, a later run reads the old text or the new one.
 */
import { existsSync } from 'node:fs'
import { isRecord, type Store } from '@brokerwire/core'
import { CliError } from '../cli-error.ts'
import { readJson } from '../input.ts'
import { replaceFile } from '../replace-file.ts'

const FORMAT = 1
const SHAPE = `an object with "format": ${FORMAT} and "cursors", as \`brokerwire listen --cursor\` writes it`

function invalid(file: string, expected: string): CliError<'CLI_INPUT_UNREADABLE'> {
  return new CliError('CLI_INPUT_UNREADABLE', `${file}: expected ${expected}`, {
    details: { file, expected },
  })
}

async function read(file: string): Promise<Readonly<Record<string, string>>> {
  if (!existsSync(file)) return {}
  const json = await readJson(file)
  if (!isRecord(json) || json.format !== FORMAT || !isRecord(json.cursors)) throw invalid(file, SHAPE)
  if (Object.values(json.cursors).some((text) => typeof text !== 'string')) throw invalid(file, SHAPE)
  return json.cursors as Record<string, string>
}

function write(file: string, cursors: Readonly<Record<string, string>>): Promise<void> {
  return replaceFile(file, `${JSON.stringify({ format: FORMAT, cursors }, undefined, 2)}\n`)
}

/** Opens the file. @throws CliError `CLI_INPUT_UNREADABLE` where it holds something else, or cannot be written. */
export async function openCursorFile(file: string): Promise<Store> {
  // Found out before anything is printed.
  await write(file, await read(file)).catch((error: unknown) => {
    if (error instanceof CliError) throw error
    throw invalid(
      file,
      `a file that can be written, got ${(error as { code?: string }).code ?? 'unknown reason'}`,
    )
  })
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work)
    turn = result.catch(() => {})
    return result
  }
  return {
    get: (key) => inTurn(async () => (await read(file))[key]),
    compareAndSet: (key, expected, next) =>
      inTurn(async () => {
        const { [key]: stored, ...others } = await read(file)
        if (stored !== expected) return false
        if (stored !== next) await write(file, next === undefined ? others : { ...others, [key]: next })
        return true
      }),
  }
}
