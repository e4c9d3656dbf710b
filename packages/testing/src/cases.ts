/** Runs test cases in every runtime, without a test runner and without a module of a host. */

/** The outcome of a suite. */
export interface Outcome {
  readonly passed: number
  readonly failures: readonly string[]
  /** Requests that a host sent twice and whose error reports that this is possible. */
  readonly admitted?: readonly string[]
}

/** Test cases by name. */
export type Cases = Readonly<Record<string, () => Promise<void>>>

/** Time limit of a case. A case that takes longer counts as failed, and the next case starts. */
const LIMIT_MS = 60_000

/** @throws An error if the values differ as JSON. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (got !== wanted) throw new Error(`${what}: ${got} is not ${wanted}`)
}

/** Runs cases one after the other. */
export async function runCases(cases: Cases): Promise<Outcome> {
  const failures: string[] = []
  let passed = 0
  for (const [name, run] of Object.entries(cases)) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`still running after ${LIMIT_MS} ms`)), LIMIT_MS)
    })
    try {
      await Promise.race([run(), late])
      passed += 1
    } catch (error) {
      failures.push(`${name}: ${String(error)}`)
    } finally {
      clearTimeout(timer)
    }
  }
  return { passed, failures }
}
