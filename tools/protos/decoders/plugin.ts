/**
 * The plugin behind `pnpm generate` that writes the decoders of the stream transport. It runs in `protos`, where buf
 * starts it, and leaves its files as the formatter would.
 */
import { createEcmaScriptPlugin, runNodeJs } from '@bufbuild/protoplugin'
import { formatted } from '../../lib/formatted.ts'
import { decoderModule } from './decoder-module.ts'

/** For the formatter, which wants to know which rules hold. */
const OUT = 'packages/streams/src/transport/decoding/gen'

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-decoders',
    version: 'v1',
    generateTs(schema) {
      for (const file of schema.files) {
        // `_pb` of the messages, `_decoders` beside it.
        const name = `${file.name}_decoders.ts`
        // Two levels for the folder itself and its parent, where the reader is.
        const reader = `${'../'.repeat(file.name.split('/').length)}range-reader.ts`
        const types = `${'../'.repeat(file.name.split('/').length)}buffer-decoder.ts`
        schema
          .generateFile(name)
          .print(formatted(`${OUT}/${name}`, decoderModule(file, { reader, types })).trimEnd())
      }
    },
  }),
)
