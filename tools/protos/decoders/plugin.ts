/**
 * The plugin behind `pnpm generate` that writes the decoders of the stream transport. It runs in `protos`, where buf
 * starts it, and leaves its files as the formatter would.
 */
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'
import { formatted } from '../../lib/formatted.ts'
import { decoderModule } from './decoder-module.ts'
import { readerModules } from './reader-modules.ts'

/** For the formatter, which wants to know which rules hold. */
const OUT = 'packages/streams/src/transport/decoding/gen'

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-decoders',
    version: 'v1',
    generateTs(schema) {
      // `_pb` of the messages, `_decoders` beside it; the reader is in the folder itself.
      const decoders = schema.files.map((file): [string, string] => {
        const up = '../'.repeat(file.name.split('/').length - 1)
        return [`${file.name}_decoders.ts`, decoderModule(file, `${up}range-reader.ts`)]
      })
      const reader = readerModules(decoders.map(([, text]) => text))
      for (const [name, text] of [...decoders, ...Object.entries(reader)]) {
        schema.generateFile(name).print(formatted(`${OUT}/${name}`, text).trimEnd())
      }
    },
  }),
)
