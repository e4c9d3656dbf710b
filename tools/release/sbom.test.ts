import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { expect, test } from 'vitest'
import { publicPackages, ROOT } from '../ci/lib/workspace.ts'
import { sbomOf } from './sbom.ts'

const packages = publicPackages()
const document = sbomOf(readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8'), packages)
const ref = (name: string): string => {
  const found = document.components.filter((component) => component.name === name)
  expect(found, name).toHaveLength(1)
  return found[0]?.purl ?? ''
}

test('is valid by the schema of CycloneDX 1.6', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  expect(await validator.validate(JSON.stringify(document))).toBeNull()
})

test('a document without a name of a component is not valid', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  const broken = { ...document, components: [{ type: 'library' }] }
  expect(await validator.validate(JSON.stringify(broken))).not.toBeNull()
})

test('has every dependency of the manifests, with its digest, and no tool of the repository', () => {
  const names = document.components.map(({ name }) => name)
  for (const { manifest } of packages)
    for (const name of Object.keys({ [manifest.name]: '', ...manifest.dependencies }))
      expect(names).toContain(name)
  for (const tool of ['vitest', 'typescript', 'tsx', 'fast-check']) expect(names).not.toContain(tool)
  for (const { name, hashes = [] } of document.components)
    if (!name.startsWith('@brokerwire/')) expect(hashes[0]?.content, name).toMatch(/^[\da-f]{128}$/)
})

test('has the edges between packages, and from them to the packages of others', () => {
  const used = (name: string): readonly string[] | undefined =>
    document.dependencies.find((entry) => entry.ref === ref(name))?.dependsOn
  expect(used('@brokerwire/core')).toEqual([])
  expect(used('@brokerwire/streams')).toContain(ref('@brokerwire/core'))
  expect(used('@brokerwire/signer')).toContain(ref('@noble/hashes'))
})
