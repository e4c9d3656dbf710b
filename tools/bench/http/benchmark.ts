/**
 * Measures the CPU time of the client's process for three comparisons:
 * - a signed request, and a `fetch` with as many headers and the same response
 * - a signed request with spans and metrics of OpenTelemetry, and the same request without
 * - a request of an operation, which is checked and decoded, and the same request by its path
 *
 * Each is measured with 1 and with 16 requests at a time. The larger ratio is reported.
 */
import { medians, type Options, type Results, ratioByRound } from '../benchmark.ts'
import { withPrograms } from '../programs.ts'
import type { ClientCommands } from './client-process.ts'
import type { ServerCommands } from './server-process.ts'

export const goals = {
  'http.request.vs_fetch': { atMost: 1.45 },
  'http.request_with_signal.vs_fetch': { atMost: 1.55 },
  'http.operation.vs_request': { atMost: 1.1 },
  'http.telemetry.vs_request': { atMost: 1.25 },
}

export function run({ quick }: Options): Promise<Results> {
  return withPrograms(async (start) => {
    const server = await start<ServerCommands>(new URL('server-process.ts', import.meta.url))
    const client = await start<ClientCommands>(new URL('client-process.ts', import.meta.url))
    const origin = await server.call('listen')
    const rounds = await client.call('measure', origin, quick ? 3 : 15, quick ? 200 : 500)
    const ratio = (over: string, under: string): number =>
      Math.max(
        ...[', 1 at a time', ', 16 at a time'].map((suffix) =>
          ratioByRound(rounds, over + suffix, under + suffix),
        ),
      )
    return {
      tables: [medians('a request', 'µs of CPU time', rounds, 1)],
      ratios: {
        'http.request.vs_fetch': ratio('request', 'fetch'),
        'http.request_with_signal.vs_fetch': ratio('request with a signal', 'fetch'),
        'http.telemetry.vs_request': ratio('request with telemetry', 'request'),
        'http.operation.vs_request': ratio('operation', 'request by path'),
      },
    }
  })
}
