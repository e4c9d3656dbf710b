/** Generates asyncapi.json of packages/protos. */
import type { Generated } from '../files.ts'
import { asyncApiDocument } from './document.ts'

export async function generate(): Promise<Generated> {
  const text = `${JSON.stringify(await asyncApiDocument(), undefined, 2)}\n`
  return { files: new Map([['packages/protos/asyncapi.json', text]]) }
}
