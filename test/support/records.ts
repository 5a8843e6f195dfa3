import type { Column } from '../../src/records/column.ts';
import type { RecordDefinition } from '../../src/records/record.ts';

/** Returns the names of the columns that an import stores of a record. */
export const importedColumnsOf = ({ columns }: RecordDefinition): readonly string[] =>
  Object.entries<Column>(columns).flatMap(([name, { inserted }]) =>
    inserted === undefined || name === 'id' ? [] : [name],
  );
