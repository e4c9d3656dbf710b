/** Times Workers from outside, because their clock stands still while code runs. */
import { Miniflare } from 'miniflare'

const TIMES = 4000
const ROUNDS = 21
/** Fresh isolates of each Worker. */
const COLD_ROUNDS = 81

const miniflareOf = (script: string): Miniflare =>
  new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-01-01',
    compatibilityFlags: ['nodejs_compat'],
  })

/** Microseconds per call in each round, by contender, interleaved. */
export async function measureWorkerd(
  script: string,
  contenders: readonly string[],
): Promise<Record<string, number[]>> {
  const miniflare = miniflareOf(script)
  const time = async (what: string, times: number): Promise<number> => {
    const start = process.hrtime.bigint()
    const query = new URLSearchParams({ what, times: String(times) })
    const response = await miniflare.dispatchFetch(`http://worker/?${query}`)
    if ((await response.text()) !== 'done') throw new Error(`${what}: no answer`)
    return Number(process.hrtime.bigint() - start) / 1000
  }
  try {
    const results: Record<string, number[]> = {}
    for (const what of contenders) {
      results[what] = []
      await time(what, TIMES)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      // Forward and backward in turn: nobody always follows the same neighbour.
      for (const what of round % 2 === 0 ? contenders : [...contenders].reverse()) {
        // What the request itself costs is taken off.
        const empty = await time(what, 0)
        results[what]?.push(((await time(what, TIMES)) - empty) / TIMES)
      }
    }
    return results
  } finally {
    await miniflare.dispose()
  }
}

/** Loads the code that is measured when it is asked to, so that the isolate itself is warm. */
const COLD_MAIN = `export default {
  async fetch(request) {
    if (request.url.endsWith('/warm')) return new Response()
    const { signOnce } = await import('./contender.mjs')
    return new Response(await signOnce())
  },
}`

/** Microseconds from the load of a module to its first signature, each time in a fresh isolate, by contender. */
export async function measureCold(
  scripts: Readonly<Record<string, string>>,
): Promise<Record<string, number[]>> {
  const contenders = Object.entries(scripts)
  const results: Record<string, number[]> = {}
  for (let round = 0; round < COLD_ROUNDS; round += 1) {
    // Forward and backward in turn, as above.
    for (const [name, contents] of round % 2 === 0 ? contenders : [...contenders].reverse()) {
      const miniflare = new Miniflare({
        modules: [
          { type: 'ESModule', path: 'main.mjs', contents: COLD_MAIN },
          { type: 'ESModule', path: 'contender.mjs', contents },
        ],
        compatibilityDate: '2026-01-01',
      })
      try {
        for (let i = 0; i < 5; i += 1) await (await miniflare.dispatchFetch('http://worker/warm')).text()
        const start = process.hrtime.bigint()
        const signature = await (await miniflare.dispatchFetch('http://worker/')).text()
        results[name] = [...(results[name] ?? []), Number(process.hrtime.bigint() - start) / 1000]
        if (signature === '') throw new Error(`${name}: no signature`)
      } finally {
        await miniflare.dispose()
      }
    }
  }
  return results
}
