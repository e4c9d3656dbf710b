/** Signatures in Node and workerd, compared with the crypto API of the host and with other signers. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { medians, type Options, type Results, type Rounds, ratioByRound } from '../benchmark.ts'
import { measureProgram } from '../programs.ts'
import type { NodeCommands } from './node-process.ts'
import { measureCold, measureWarm } from './workerd.ts'

export const goals = {
  'node.get.vs_native': { atLeast: 2 },
  'node.get.vs_best_peer': { atLeast: 5 },
  'node.post64k.vs_native': { atLeast: 0.95 },
  'node.verify.vs_sign': { atMost: 4 },
  'workerd.sign.vs_best_peer': { atLeast: 3.5 },
  'workerd.sign.vs_aws4fetch': { atLeast: 6 },
  'workerd.sign_request.vs_aws4fetch': { atLeast: 2 },
  'workerd.cold.vs_aws4fetch': { atMost: 1.1 },
}

const WORKER_PEERS = ['aws4fetch', 'smithy', 'oauth-1.0a']

async function workerScript(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['@brokerwire/source', 'workerd', 'worker', 'browser'],
    external: ['node:*', 'crypto'],
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

export async function run({ quick }: Options): Promise<Results> {
  const program = new URL('node-process.ts', import.meta.url)
  const node = await measureProgram<NodeCommands>(program, quick ? 3 : 15)
  const warm = await measureWarm(
    await workerScript('worker.ts'),
    ['sign', 'subtle', ...WORKER_PEERS, 'request', 'aws4fetch request'],
    quick ? { rounds: 3, calls: 1000 } : { rounds: 21, calls: 4000 },
  )
  const scripts = {
    signer: await workerScript('cold-signer.ts'),
    aws4fetch: await workerScript('cold-aws4fetch.ts'),
  }
  const cold = await measureCold(scripts, quick ? 3 : 81)
  const best = (rounds: Rounds, peers: readonly string[]): number =>
    Math.min(...peers.map((peer) => ratioByRound(rounds, peer, 'sign')))
  return {
    tables: [
      medians('Node', 'µs', node),
      medians('workerd', 'µs', warm),
      medians('workerd, load and first signature', 'µs', cold, 0),
    ],
    ratios: {
      'node.get.vs_native': ratioByRound(node, 'native', 'sign'),
      'node.get.vs_best_peer': best(node, ['aws4', 'aws4fetch', 'smithy']),
      'node.post64k.vs_native': ratioByRound(node, 'native, 64 KiB', 'sign, 64 KiB'),
      'node.verify.vs_sign': ratioByRound(node, 'verify', 'sign, async'),
      'workerd.sign.vs_best_peer': best(warm, WORKER_PEERS),
      'workerd.sign.vs_aws4fetch': ratioByRound(warm, 'aws4fetch', 'sign'),
      'workerd.sign_request.vs_aws4fetch': ratioByRound(warm, 'aws4fetch request', 'request'),
      'workerd.cold.vs_aws4fetch': ratioByRound(cold, 'signer', 'aws4fetch'),
      // This ratio has no goal, because Base64 and one concatenation alone increase it to 1.3.
      'workerd.sign.vs_subtle': ratioByRound(warm, 'sign', 'subtle'),
    },
  }
}
