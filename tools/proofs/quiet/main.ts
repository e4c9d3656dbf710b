/**
 * `pnpm test:quiet [--short]`: streams on which nothing comes for seven minutes, idle ones and paused ones, on Python's
 * grpcio with its defaults, which ends a connection at the third PING too many. `--short` lowers the server's limit and
 * the transport's intervals to a hundredth. Prints what each stream promises and when PINGs went out; ends with status 1
 * where a promise is broken.
 */
import { parseArgs } from 'node:util'
import { TradeEventService } from '@brokerwire/protos'
import { startPingProxy } from '@brokerwire/testing/ping-proxy'
import { toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  GRPCIO_INSTALL,
  hasGrpcio,
  startPythonServer,
} from '../../../packages/streams/src/test/interop/grpcio-server.ts'
import { type Pace, SCENES, type Scene } from './scenes.ts'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })

/** The interval is the transport's default, and so is everything else. */
const FULL: Pace = { silenceSeconds: 420, connection: {}, intervalMs: 30_000 }
const SHORT: Pace = {
  silenceSeconds: 12,
  connection: { pingIntervalMs: 300, quietPingIntervalMs: 3300 },
  intervalMs: 300,
}
const LOWERED = [['grpc.http2.min_ping_interval_without_data_ms', 3000]]

if (!hasGrpcio()) {
  console.error(`no grpcio for Python: ${GRPCIO_INSTALL}`)
  process.exit(1)
}
const pace = values.short ? SHORT : FULL
const file = Buffer.from(toBinary(FileDescriptorProtoSchema, TradeEventService.file.proto)).toString('base64')
const server = await startPythonServer(new URL('server.py', import.meta.url), {
  files: [file],
  options: values.short ? LOWERED : [],
})

/** @returns Whether it holds. */
async function run(scene: Scene): Promise<boolean> {
  const proxy = await startPingProxy(server.url)
  const startedAt = performance.now()
  const broken = await scene.run(proxy, pace).catch((error: unknown) => [String(error)])
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  const took = `${seconds(performance.now() - startedAt)} s`
  await proxy.close()
  console.log(`${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${took.padStart(7)}  ${scene.name}`)
  console.log(`                  promised: ${scene.promise}`)
  const pings = proxy.pingsMs.map(seconds).join(', ')
  console.log(`                  PINGs after: ${pings === '' ? 'none' : `${pings} s`}`)
  for (const what of broken) console.log(`                  BROKEN:   ${what}`)
  return broken.length === 0
}

const held = await Promise.all(SCENES.map(run))
await server.close()
const broken = held.filter((holds) => !holds).length
console.log(`${held.length - broken} hold, ${broken} broken`)
process.exitCode = broken === 0 ? 0 : 1
