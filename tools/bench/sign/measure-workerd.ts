/** Times the Worker from outside. */
import { Miniflare } from 'miniflare'

const TIMES = 10_000
const ROUNDS = 11

/** Microseconds per call in each round, for a whole signature and for a bare `subtle.sign` of the same bytes. */
export async function measureWorkerd(script: string): Promise<{ sign: number[]; subtle: number[] }> {
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: '2026-01-01' })
  const time = async (what: string, times: number): Promise<number> => {
    const start = process.hrtime.bigint()
    await (await miniflare.dispatchFetch(`http://worker/?what=${what}&times=${times}`)).text()
    return Number(process.hrtime.bigint() - start) / 1000
  }
  try {
    const results: { sign: number[]; subtle: number[] } = { sign: [], subtle: [] }
    await time('sign', TIMES)
    await time('subtle', TIMES)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const what of ['sign', 'subtle'] as const) {
        // What the request itself costs is taken off.
        const empty = await time(what, 1)
        results[what].push((await time(what, TIMES)) - empty)
      }
    }
    return {
      sign: results.sign.map((us) => us / TIMES),
      subtle: results.subtle.map((us) => us / TIMES),
    }
  } finally {
    await miniflare.dispose()
  }
}
