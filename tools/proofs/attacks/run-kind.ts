/** Runs one kind, and counts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kind } from './kind.ts'
import { createRandom } from './random.ts'

/** How a run ended. */
export interface Outcome {
  /** Attacks by sort. */
  readonly sorts: ReadonlyMap<string, number>
  readonly attacks: number
  readonly broken: readonly string[]
}

const asText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/**
 * What a kind throws, and what nobody catches while it runs, breaks it: an attack must not end a process either. So
 * does a run without a single attack.
 */
export async function runKind(kind: Kind, seed: number, count: number): Promise<Outcome> {
  const sorts = new Map<string, number>()
  const broken: string[] = []
  const endings: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-attacks-'))
  const uncaught = (error: unknown): void => void broken.push(`uncaught: ${asText(error)}`)
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught)
  try {
    await kind.run({
      random: createRandom(seed).fork(kind.name),
      count,
      folder,
      attack: (sort) => void sorts.set(sort, (sorts.get(sort) ?? 0) + 1),
      broken: (what) => void broken.push(what),
      atEnd: (action) => void endings.push(action),
    })
  } catch (error) {
    broken.push(asText(error))
  }
  for (const end of endings.reverse()) await end()
  // What is told one turn later still belongs to this kind.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught)
  rmSync(folder, { recursive: true, force: true })
  const attacks = [...sorts.values()].reduce((sum, n) => sum + n, 0)
  if (attacks === 0) broken.push('nothing was attacked')
  return { sorts, attacks, broken }
}
