/** From `.proto` text to decoders that run: buf compiles the schema, the generator writes, esbuild bundles. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createFileRegistry, type DescFile, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { build } from 'esbuild'
import type { MessageDecoders } from '../../../../../packages/streams/src/transport/decoding/generated-decoders.ts'
import { runOrThrow } from '../../../../ci/lib/run.ts'
import { ROOT } from '../../../../ci/lib/workspace.ts'
import { decoderModule } from '../decoder-module.ts'

const RUNTIME = join(ROOT, 'tools/codegen/protos/decoders/runtime')

async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'decoders-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param sources - Text by file name. @returns The files' descriptors by name, without `.proto`. */
export function compileSchemas(
  sources: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, DescFile>> {
  return inTemporaryFolder(async (folder) => {
    for (const [name, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    const image = join(folder, 'image.binpb')
    await runOrThrow('buf', ['build', folder, '--output', image])
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)))
    return new Map([...registry.files].map((file) => [file.name, file]))
  })
}

/** Generates the decoders of a file and loads them. */
export function loadDecoders(file: DescFile): Promise<MessageDecoders> {
  return inTemporaryFolder(async (folder) => {
    const outfile = join(folder, 'decoders.mjs')
    await build({
      stdin: {
        contents: decoderModule(file, join(RUNTIME, 'range-reader.ts')),
        loader: 'ts',
        resolveDir: RUNTIME,
      },
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
