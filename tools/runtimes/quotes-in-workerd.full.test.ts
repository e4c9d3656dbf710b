/** Market data in workerd, over WebSocket and over TCP with `cloudflare:sockets`, from source. */
import { expect, onTestFinished, test } from 'vitest'
import { startQuotesHost } from '../../packages/quotes/src/test/runtime-host.ts'
import { bundleWorker, startWorker } from './in-workerd.ts'

const WORKER = `
import { createHttpClient } from '@brokerwire/http'
import { createQuotes, isQuotesError } from '@brokerwire/quotes'
import { createSigner } from '@brokerwire/signer'
import { runQuotesCases } from '../../packages/quotes/src/test/runtime-cases.ts'
const subject = { createHttpClient, createQuotes, createSigner, isQuotesError }
export default { fetch: async () => Response.json(await runQuotesCases(subject, QUOTES_TARGET, true)) }
`

test.each([[[]], [['nodejs_compat']]])(
  'with the flags %j',
  async (compatibilityFlags) => {
    const host = await startQuotesHost()
    onTestFinished(host.close)
    const script = await bundleWorker({
      stdin: { contents: WORKER, resolveDir: import.meta.dirname, loader: 'ts' },
      define: { QUOTES_TARGET: JSON.stringify(host.target) },
    })
    const worker = startWorker(script, compatibilityFlags)
    onTestFinished(worker.close)
    expect(await worker.ask()).toEqual({ passed: 14, failures: [] })
  },
  60_000,
)
