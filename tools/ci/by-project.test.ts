import { expect, test } from 'vitest'
import { shuffled } from './by-project.ts'

const FILES = ['a', 'b', 'c'].flatMap((project) =>
  Array.from({ length: 20 }, (_, n) => ({ project, file: `${n}` })),
)
const inOrder = (seed: number) =>
  shuffled(
    FILES,
    seed,
    ({ project }) => project,
    ({ file }) => file,
  )
const projectsOf = (seed: number): string[] =>
  inOrder(seed)
    .map(({ project }) => project)
    .filter((project, at, all) => project !== all[at - 1])

test('a seed always gives the same order, which has every file once', () => {
  expect(inOrder(1)).toEqual(inOrder(1))
  expect(new Set(inOrder(1))).toEqual(new Set(FILES))
})

test('the files of a project stay together; the order of projects and of files depends on the seed', () => {
  const seeds = Array.from({ length: 50 }, (_, seed) => seed)
  for (const seed of seeds) expect(projectsOf(seed)).toHaveLength(3)
  expect(new Set(seeds.map((seed) => projectsOf(seed).join())).size).toBe(6)
  expect(
    new Set(
      seeds.map((seed) =>
        inOrder(seed)
          .map(({ file }) => file)
          .join(),
      ),
    ).size,
  ).toBe(50)
})
