/** The pages of docs/reference/options against another reader of the same types: the API reports. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readReports } from '../../checks/api/reports.ts'
import { publicPackages, ROOT } from '../../ci/lib/workspace.ts'

/** A type of grpc-js, which only its interceptor receives. */
const FOREIGN = ['GrpcCallOptions']

/** The members of the exported interfaces of options in the reports of a package, by the name of the interface. */
function reportedOptions(short: string): Map<string, string[]> {
  const reports = [...readReports()].filter(
    ([file]) => file === `${short}.api.md` || file.startsWith(`${short}.`),
  )
  const interfaces = reports.flatMap(([, text]) => [
    ...text.matchAll(/^export interface (\w+Options)\b[^\n]*\{\n([\s\S]*?)^\}/gm),
  ])
  return new Map(
    interfaces.map(([, name = '', body = '']) => [
      name,
      [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member),
    ]),
  )
}

const pageOf = (short: string): string =>
  readFileSync(join(ROOT, `docs/reference/options/${short}.md`), 'utf8')
const packages = publicPackages()
  .map(({ short }) => [short, reportedOptions(short)] as const)
  .filter(([, options]) => options.size > 0)

describe('docs/reference/options', () => {
  test('reads reports with more than a hundred options', () => {
    expect(packages.flatMap(([, groups]) => [...groups.values()].flat()).length).toBeGreaterThan(100)
  })

  test.each(packages)('has each exported option of %s', (short, groups) => {
    const sections = pageOf(short).split(/^## /m)
    for (const [name, members] of groups) {
      if (FOREIGN.includes(name)) continue
      const section = sections.find((text) => text.startsWith(`${name}\n`)) ?? ''
      for (const member of members) expect(section, `${name}.${member}`).toContain(`| \`${member}\` |`)
    }
  })

  test.each(packages)('has a meaning in each row of %s', (short) => {
    const rows = pageOf(short).match(/^\| `.*$/gm) ?? []
    expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([])
  })
})
