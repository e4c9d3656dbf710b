/**
 * Compiles `.proto` files to decoders that run: buf compiles, the generator writes the code, esbuild bundles
 * it.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DescFile } from '@bufbuild/protobuf'
import { build } from 'esbuild'
import type { MessageDecoders } from '../../../../../packages/streams/src/transport/decoding/generated-decoders.ts'
import { inTemporaryFolder, readSchemas } from '../../schemas.ts'
import { decoderModule } from '../decoder-module.ts'

const RUNTIME = join(import.meta.dirname, '../runtime')

/** Compiles the contents of `.proto` files, by name. Returns descriptors by name without `.proto`. */
export function compileSchemas(
  sources: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, DescFile>> {
  return inTemporaryFolder((folder) => {
    for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text)
    return readSchemas(folder)
  })
}

/** Generates the decoders of a file and imports them. */
export function loadDecoders(file: DescFile): Promise<MessageDecoders> {
  return inTemporaryFolder(async (folder) => {
    const outfile = join(folder, 'decoders.mjs')
    const contents = decoderModule(file, './range-reader.ts')
    await build({
      stdin: { contents, loader: 'ts', resolveDir: RUNTIME },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'es2022',
      outfile,
    })
    const module: { decoders: ConstructorParameters<typeof Map>[0] } = await import(
      pathToFileURL(outfile).href
    )
    return new Map(module.decoders) as MessageDecoders
  })
}
