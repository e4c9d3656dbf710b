/** Checked-in snapshots: compared by default, written with `--update`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './workspace.ts'

/**
 * @param file - From the root.
 * @param lines - What stands now, sorted by the caller.
 * @param update - Write it, instead of comparing.
 * @returns What was added and removed, one a line; nothing where both agree or after an update.
 */
export function compareSnapshot(file: string, lines: readonly string[], update: boolean): string[] {
  const path = join(ROOT, file)
  if (update) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${lines.join('\n')}\n`)
    return []
  }
  return difference(read(path), lines)
}

/** Lines that only one of both has. */
export function difference(before: readonly string[], now: readonly string[]): string[] {
  const [known, current] = [new Set(before), new Set(now)]
  return [
    ...before.filter((line) => !current.has(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !known.has(line)).map((line) => `+ ${line}`),
  ]
}

function read(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}
