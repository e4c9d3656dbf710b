/**
 * Generates code from the `.proto` files: messages with protoc-gen-es and with pbjs, and decoders with the
 * modules in `decoders`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatted } from '../../ci/lib/formatted.ts'
import { runOrThrow } from '../../ci/lib/run.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { filesBelow, type Generated } from '../files.ts'
import { decoderModule } from './decoders/decoder-module.ts'
import { layoutModule } from './decoders/layout-module.ts'
import { type DecoderHost, readerModules } from './decoders/reader-modules.ts'
import { type StaticModule, staticModule } from './protobufjs-modules.ts'
import { inTemporaryFolder, readSchemas } from './schemas.ts'

const PROTOS = join(ROOT, 'packages/protos/proto')
/** The output folder in `buf.gen.yaml`. */
const MESSAGES = 'packages/protos/src/gen'
/** Static modules for protobufjs. They are outside of `src`, because the compiler does not copy declarations. */
const STATIC_MODULES = 'packages/protos/protobufjs/gen'
const STATIC: readonly StaticModule[] = [
  { name: 'trade', file: 'grpc/trade/event/events.proto' },
  { name: 'module', file: 'grpc/event/event_service.proto' },
  { name: 'quotes', file: 'quotes/quotes.proto' },
]
/** Decoders of the event services, for Node. */
const EVENTS = 'packages/streams/src/transport/decoding/gen'
/** Layouts of market data, for every runtime. */
const QUOTES = 'packages/quotes/src/decoding/gen'

/** The messages that supervised streams decode into separate values, without a message object. */
const BY_FIELDS = new Map([
  ['grpc.trade.event.SubscribeResponse', { known: ['contentType'], name: 'requestId' }],
  ['grpc.event.SubscribeResponse', { known: ['eventType', 'version'], name: 'id' }],
])

export async function generate(): Promise<Generated> {
  const schemas = [...(await readSchemas(PROTOS)).values()]
  const below = (folder: string) => schemas.filter(({ name }) => name.startsWith(`${folder}/`))
  /** The relative path from the folder of a generated file to the folder of all generated files. */
  const up = (name: string): string => '../'.repeat(name.split('/').length - 1)
  const decoders = below('grpc').map((file): [string, string] => [
    `${EVENTS}/${file.name}_decoders.ts`,
    decoderModule(file, `${up(file.name)}range-reader.ts`, BY_FIELDS),
  ])
  const layouts = below('quotes').map((file): [string, string] => [
    `${QUOTES}/${file.name}_layouts.ts`,
    layoutModule(file, `${up(file.name)}text-fields.ts`),
  ])
  const code = [...decoders, ...layouts, ...readers(EVENTS, 'node'), ...readers(QUOTES, 'anywhere')].map(
    ([path, text]) => [path, formatted(path, text)] as const,
  )
  return {
    files: new Map([...(await messages()), ...(await staticModules()), ...code]),
    folders: [MESSAGES, STATIC_MODULES, EVENTS, QUOTES],
  }
}

/** The modules that the decoders in a folder import. */
function readers(folder: string, host: DecoderHost): [path: string, text: string][] {
  return [...readerModules(host)].map(([name, text]) => [`${folder}/${name}`, text])
}

function messages(): Promise<[path: string, text: string][]> {
  return inTemporaryFolder(async (temporary) => {
    // The template's `out` is `../src/gen`. With this `--output`, buf writes the files into the temporary
    // folder instead of the repository.
    await runOrThrow('buf', ['generate', '--output', join(temporary, 'proto')], { cwd: PROTOS })
    const folder = join(temporary, 'src/gen')
    const files = filesBelow(folder)
    if (files.length === 0) throw new Error(`buf generate wrote nothing into ${MESSAGES}`)
    return files.map((name) => [`${MESSAGES}/${name}`, readFileSync(join(folder, name), 'utf8')])
  })
}

function staticModules(): Promise<[path: string, text: string][]> {
  return inTemporaryFolder(async (temporary) => {
    const modules = await Promise.all(
      STATIC.map(async (module): Promise<[path: string, text: string][]> => {
        const { code, declarations } = await staticModule(PROTOS, temporary, module)
        return [
          [`${STATIC_MODULES}/${module.name}.js`, code],
          [`${STATIC_MODULES}/${module.name}.d.ts`, declarations],
        ]
      }),
    )
    return modules.flat()
  })
}
