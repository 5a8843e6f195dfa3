import type { Column } from '../../src/records/column.ts';
import type { RecordDefinition } from '../../src/records/record.ts';

/** The columns that an import of records stores. */
export const importedColumnsOf = ({ columns }: RecordDefinition): readonly string[] =>
  Object.entries<Column>(columns).flatMap(([name, { inserted }]) =>
    inserted === undefined || name === 'id' ? [] : [name],
  );
