/** Compiles `.proto` files with buf. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileRegistry, type DescFile, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { runOrThrow } from '../../ci/lib/run.ts'

/** Descriptors of the `.proto` files below a folder, by name without `.proto`. */
export function readSchemas(folder: string): Promise<ReadonlyMap<string, DescFile>> {
  return inTemporaryFolder(async (temporary) => {
    const image = join(temporary, 'image.binpb')
    await runOrThrow('buf', ['build', folder, '--output', image])
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)))
    return new Map([...registry.files].map((file) => [file.name, file]))
  })
}

/** Calls `use` with a new folder, and removes the folder afterwards. */
export async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'brokerwire-protos-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
