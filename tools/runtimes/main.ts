/**
 * `pnpm test:runtimes`: the suite of the signer, of what is sent and of market data in every runtime, as a table, over the tarballs that a release would publish.
 * A runtime that is not there is skipped with a word on how to install it; where `CI` is set it is installed, and an
 * error if that fails.
 */
import { rmSync } from 'node:fs'
import { startArrivalServer } from '@brokerwire/testing/arrival-server'
import { bundleSuite, createConsumer } from './consumer.ts'
import { installMissing } from './install.ts'
import { startQuotesHost } from './quotes-host.ts'
import { isInstalled, RUNTIMES, type Runtime } from './runtimes.ts'
import type { Outcomes } from './suite.ts'

const SUITES = ['vectors', 'streams', 'requests', 'properties', 'payloads', 'wire', 'quotes', 'sync'] as const
const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(26) + cells.map((cell) => cell.padStart(12)).join('')

function report({ name, repeats }: Runtime, outcomes: Outcomes): number {
  const cells = SUITES.map((suite) => {
    const { passed, failures } = outcomes[suite]
    if (failures.length > 0) return `${failures.length} FAILED`
    return passed === 0 ? '-' : `${passed} ok`
  })
  console.log(row(name, cells))
  const failures = SUITES.flatMap((suite) => outcomes[suite].failures)
  for (const failure of failures.slice(0, 5)) console.log(`  ${failure}`)
  const admitted = outcomes.wire.admitted ?? []
  if (admitted.length > 0) {
    console.log(
      `  ${admitted.length} requests arrived more than once, and the error of each says that they may have`,
    )
    if (!repeats) return failures.length + admitted.length
  }
  // A suite in which nothing ran is a suite that did not run; only `sync` is not for all.
  const silent = SUITES.filter((suite) => suite !== 'sync' && outcomes[suite].passed === 0)
  return failures.length + silent.length
}

if (process.env.CI) await installMissing()
let failed = 0
let passed = 0
const folder = await createConsumer()
const server = await startArrivalServer()
const market = await startQuotesHost()
try {
  const servers = { wireUrl: server.url, quotes: market.target }
  console.log(row('runtime', SUITES))
  for (const runtime of RUNTIMES.filter(
    (r) => !process.env.ONLY || process.env.ONLY.split(',').includes(r.name),
  )) {
    const { name, entry, conditions, binary = '' } = runtime
    if (!isInstalled(runtime)) {
      console.log(`${name.padEnd(26)}  skipped: ${runtime.install}`)
      if (process.env.CI) failed += 1
      continue
    }
    try {
      const failures = report(
        runtime,
        await runtime.run(await bundleSuite(folder, entry, servers, conditions), binary),
      )
      if (failures === 0) passed += 1
      else failed += 1
    } catch (error) {
      failed += 1
      console.log(`${name.padEnd(26)}  FAILED: ${String(error).slice(0, 2000)}`)
    }
  }
} finally {
  await server.close()
  await market.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
