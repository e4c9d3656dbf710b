import { describe, expect, test } from 'vitest'
import { matchesSubject } from '../wire/subjects.ts'
import { subjectRange } from './subject-range.ts'

const SUBJECTS = ['a.b', 'a.b.c', 'a.b.c.d', 'a.bb.c', 'a.b-c', 'a.=5F.c', 'ab.c', 'a.x+y.c', 'a', 'b.b.c']

describe('the range and the pattern of a filter', () => {
  test.each(['a.b', 'a.b.c', 'a.*', 'a.*.c', 'a.b.>', '*.b.c', '>', 'a.b.*.d', 'a.x+y.c', 'a.=5F.*'])(
    'select the same subjects as the filter: %s',
    (filter) => {
      const { lower, upper, pattern } = subjectRange(filter)
      const selected = SUBJECTS.filter(
        (subject) => subject >= lower && subject < upper && new RegExp(pattern, 'u').test(subject),
      )
      expect(selected).toEqual(SUBJECTS.filter((subject) => matchesSubject(filter, subject)))
    },
  )

  test('is small if the filter has a fixed start', () => {
    expect(subjectRange('a.b.*.d')).toMatchObject({ lower: 'a.b.', upper: 'a.b/' })
  })
})
