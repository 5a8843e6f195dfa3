import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The twenty columns of a claim that all compared services return, under their names in the database. */
@Entity({ name: 'reclamations', schema: 'public' })
export class Reclamation {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') client_id: string;
  @Column('uuid') site_id: string;
  @Column('varchar') claim_type: string;
  @Column('numeric') amount: string;
  @Column('varchar') status: string;
  @Column('integer', { nullable: true }) tax_year: number | null;
  @Column('varchar', { nullable: true }) commune_code: string | null;
  @Column('varchar', { nullable: true }) notice_reference: string | null;
  @Column('date', { nullable: true }) collection_date: string | null;
  @Column('date', { nullable: true }) claim_deadline: string | null;
  @Column('timestamptz', { nullable: true }) submitted_at: Date | null;
  @Column('timestamptz', { nullable: true }) response_due_at: Date | null;
  @Column('date', { nullable: true }) decision_date: string | null;
  @Column('date', { nullable: true }) court_deadline: string | null;
  @Column('numeric', { nullable: true }) granted_amount: string | null;
  @Column('numeric', { nullable: true }) refund_amount: string | null;
  @Column('text', { nullable: true }) grounds: string | null;
  @Column('timestamptz') created_at: Date;
  @Column('timestamptz') updated_at: Date;
}
