/** Market data in workerd, over WebSocket and over the TCP of `cloudflare:sockets`, from source. */
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { expect, onTestFinished, test } from 'vitest'
import { EDGE_CONDITIONS } from '../checks/dependencies/arrows.ts'
import { startQuotesHost } from './quotes-host.ts'

const WORKER = `
import { createHttpClient } from '@brokerwire/http'
import { createQuotes, isQuotesError } from '@brokerwire/quotes'
import { createSigner } from '@brokerwire/signer'
import { runQuotesCases } from './quotes-cases.ts'
const subject = { createHttpClient, createQuotes, createSigner, isQuotesError }
export default { fetch: async () => Response.json(await runQuotesCases(subject, QUOTES_TARGET, true)) }
`

test.each([[[]], [['nodejs_compat']]])(
  'with the flags %j',
  async (compatibilityFlags) => {
    const host = await startQuotesHost()
    onTestFinished(host.close)
    const { outputFiles } = await build({
      stdin: { contents: WORKER, resolveDir: import.meta.dirname, loader: 'ts' },
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      conditions: ['@brokerwire/source', ...EDGE_CONDITIONS],
      external: ['cloudflare:*'],
      define: { QUOTES_TARGET: JSON.stringify(host.target) },
    })
    const miniflare = new Miniflare({
      modules: true,
      script: outputFiles[0]?.text ?? '',
      compatibilityDate: '2026-01-01',
      compatibilityFlags,
    })
    onTestFinished(() => miniflare.dispose())
    const answer = await miniflare.dispatchFetch('http://worker.example/')
    expect(await answer.json()).toEqual({ passed: 14, failures: [] })
  },
  60_000,
)
