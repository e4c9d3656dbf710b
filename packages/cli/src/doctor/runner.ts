/** Runs checks one after the other, and prints each result immediately. */
import { escapeControlChars } from '@brokerwire/core'
import { addAbortListener, escapeJsonControlChars } from '@brokerwire/core/internal'
import { EXIT } from '../exit-status.ts'
import type { GuardedIo } from '../io.ts'
import { parseDuration } from '../number-option.ts'
import { createPaint } from '../render/palette.ts'
import { type CheckResult, type Finding, failed } from './finding.ts'

const TONES = { ok: 'good', note: 'notice', failed: 'bad' } as const

/** A check, which may end early if the signal aborts. */
export type Check = (signal: AbortSignal) => CheckResult | Promise<CheckResult>

/** Runs checks and counts the failed ones. */
export interface CheckRunner {
  /**
   * Runs a check with its time limit.
   *
   * @returns Whether the check has not failed.
   */
  run(name: string, check: Check): Promise<boolean>
  /** Prints the number of failed checks. Returns the exit status. */
  finish(): number
}

function summary(findings: readonly Finding[], failures: number): string {
  const notes = findings.filter(({ result }) => result === 'note').length
  const passed = `${findings.length - failures} of ${findings.length} checks passed`
  return notes === 0 ? passed : `${passed}, ${notes} with a note`
}

/** Creates a runner. `timeout` is the time limit of each check. */
export function createCheckRunner(
  { json, timeout }: { readonly json?: boolean; readonly timeout: string },
  io: GuardedIo,
): CheckRunner {
  const paint = createPaint(io.color)
  const limitMs = parseDuration(timeout) ?? 1
  const findings: Finding[] = []

  const print = ({ result, check, text, next, ms }: Finding): void => {
    io.out(
      `${paint(TONES[result], result.padEnd(6))}  ${check.padEnd(22)} ${escapeControlChars(text, 500)}  ${paint('muted', `${ms} ms`)}`,
    )
    if (next !== undefined) io.out(`        next: ${escapeControlChars(next)}`)
  }

  return {
    async run(name, check) {
      io.signal.throwIfAborted()
      const startMs = performance.now()
      const late = new AbortController()
      const timer = setTimeout(
        () => late.abort(new DOMException('the time limit has passed', 'TimeoutError')),
        limitMs,
      )
      const signal = AbortSignal.any([io.signal, late.signal])
      const stopped = new Promise<CheckResult>((resolve) => {
        addAbortListener(signal, () =>
          resolve(failed(`no result within ${timeout}`, 'try again, or with a longer --timeout')),
        )
      })
      const verdict = await Promise.race([Promise.resolve(check(signal)), stopped]).finally(() =>
        clearTimeout(timer),
      )
      io.signal.throwIfAborted()
      const finding: Finding = { check: name, ...verdict, ms: Math.round(performance.now() - startMs) }
      findings.push(finding)
      if (!json) print(finding)
      return verdict.result !== 'failed'
    },
    finish() {
      const failures = findings.filter(({ result }) => result === 'failed').length
      if (json) io.out(escapeJsonControlChars(JSON.stringify({ failed: failures, findings })))
      else io.out(summary(findings, failures))
      return failures === 0 ? EXIT.done : EXIT.no
    },
  }
}
