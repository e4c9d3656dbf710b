/** Measures the Worker from outside, because the clock of workerd does not advance while code runs. */
import { Miniflare } from 'miniflare'
import { interleave } from '../benchmark.ts'

const COMPATIBILITY_DATE = '2026-01-01'

async function textOf(miniflare: Miniflare, path: string): Promise<string> {
  return (await miniflare.dispatchFetch(`http://worker/${path}`)).text()
}

async function microseconds(run: () => Promise<void>): Promise<number> {
  const start = process.hrtime.bigint()
  await run()
  return Number(process.hrtime.bigint() - start) / 1000
}

/** Measures the microseconds per call of each case. */
export async function measureWarm(
  script: string,
  cases: readonly string[],
  { rounds, calls }: { readonly rounds: number; readonly calls: number },
): Promise<Record<string, number[]>> {
  const compatibility = { compatibilityDate: COMPATIBILITY_DATE, compatibilityFlags: ['nodejs_compat'] }
  const miniflare = new Miniflare({ modules: true, script, ...compatibility })
  const time = (name: string, times: number): Promise<number> =>
    microseconds(async () => {
      const query = new URLSearchParams({ what: name, times: String(times) })
      if ((await textOf(miniflare, `?${query}`)) !== 'done') throw new Error(`${name}: no answer`)
    })
  try {
    const byName = Object.fromEntries(cases.map((name) => [name, name]))
    return await interleave(byName, rounds, async (name) => {
      // The time of an HTTP request that makes no calls, which is subtracted.
      const empty = await time(name, 0)
      return ((await time(name, calls)) - empty) / calls
    })
  } finally {
    await miniflare.dispose()
  }
}

/** A Worker that loads the measured module at a request, so that the start of the isolate is not measured. */
const COLD_MAIN = `export default {
  async fetch(request) {
    if (request.url.endsWith('/warm')) return new Response()
    const { signOnce } = await import('./case.mjs')
    return new Response(await signOnce())
  },
}`

/** Measures the microseconds from loading a module to its first signature, each time in a new isolate. */
export function measureCold(
  scripts: Readonly<Record<string, string>>,
  rounds: number,
): Promise<Record<string, number[]>> {
  return interleave(scripts, rounds, async (contents, name) => {
    const miniflare = new Miniflare({
      modules: [
        { type: 'ESModule', path: 'main.mjs', contents: COLD_MAIN },
        { type: 'ESModule', path: 'case.mjs', contents },
      ],
      compatibilityDate: COMPATIBILITY_DATE,
    })
    try {
      for (let i = 0; i < 5; i += 1) await textOf(miniflare, 'warm')
      return await microseconds(async () => {
        if ((await textOf(miniflare, '')) === '') throw new Error(`${name}: no signature`)
      })
    } finally {
      await miniflare.dispose()
    }
  })
}
