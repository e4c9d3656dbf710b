/**
 * The plugin behind `pnpm generate` that writes decoders: those of the event services for the stream transport, on Node, and
 * layouts of market data for every runtime. It runs in `protos`, where buf starts it, and leaves its files as the formatter
 * would.
 *
 * Options: `below=FOLDER` takes the files of that folder of `protos`, `host=node` or `host=anywhere` says where they run,
 * `out=FOLDER` is theirs in the repository.
 */
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'
import { formatted } from '../../../ci/lib/formatted.ts'
import { decoderModule } from './decoder-module.ts'
import { layoutModule } from './layout-module.ts'
import { type DecoderHost, readerModules } from './reader-modules.ts'

interface PluginOptions {
  readonly below: string
  readonly host: DecoderHost
  /** For the formatter, which wants to know which rules hold. */
  readonly out: string
}

/** What supervised streams make their items of. */
const BY_FIELDS = new Map([
  ['grpc.trade.event.SubscribeResponse', { known: ['contentType'], name: 'requestId' }],
  ['grpc.event.SubscribeResponse', { known: ['eventType', 'version'], name: 'id' }],
])

function parseOptions(given: readonly { readonly key: string; readonly value: string }[]): PluginOptions {
  const { below, host, out } = Object.fromEntries(given.map(({ key, value }) => [key, value]))
  if (below === undefined || out === undefined || (host !== 'node' && host !== 'anywhere')) {
    throw new Error('protoc-gen-decoders: expected below=FOLDER, host=node or host=anywhere, out=FOLDER')
  }
  return { below, host, out }
}

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-decoders',
    version: 'v1',
    parseOptions,
    generateTs(schema) {
      const { below, host, out } = schema.options
      // `_pb` of the messages, `_decoders` or `_layouts` beside it; the reader is in the folder itself.
      const decoders = schema.files
        .filter(({ name }) => name.startsWith(`${below}/`))
        .map((file): [string, string] => {
          const up = '../'.repeat(file.name.split('/').length - 1)
          return host === 'node'
            ? [`${file.name}_decoders.ts`, decoderModule(file, `${up}range-reader.ts`, BY_FIELDS)]
            : [`${file.name}_layouts.ts`, layoutModule(file, `${up}text-fields.ts`)]
        })
      const reader = readerModules(
        decoders.map(([, text]) => text),
        host,
      )
      for (const [name, text] of [...decoders, ...Object.entries(reader)]) {
        schema.generateFile(name).print(formatted(`${out}/${name}`, text).trimEnd())
      }
    },
  }),
)
