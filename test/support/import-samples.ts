/** Exports in the form of other tools, with invented data. The columns are those of `cli/import-columns.ts` and some that are not read. */

const csv = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

export const ninjaClients = csv(
  '"Name","Number","Client User","Client Currency","Street","Apt/Suite","City","State/Province","Postal Code","Country","VAT Number","Client Phone","Email"',
  '"Pema Ltd","0001","Admin","BTN","Norzin Lam 1","","Thimphu","","11001","Kingdom of Bhutan","TAB12345","+975 2 111111","pema@example.bt"',
  '"Tashi ""Cell"" Crafts","0002","Admin","INR","","","Guwahati","Assam","781001","Republic of India","","","tashi@example.in"',
  '"","0003","Admin","BTN","","","","","","","","","" ',
);

export const ninjaProducts = csv(
  '"Product","Notes","Cost","Price","Quantity","Tax Rate 1","Tax Rate 2","Tax Rate 3","Tax Name 1","Tax Name 2","Tax Name 3"',
  '"Green tea","Per kg","0","450.5","1","0","0","0","","",""',
  '"Design","Hours","0","1200","1","18","0","0","GST","",""',
  '"Mixed","","0","5","1","5","5","0","A","B",""',
);

export const ninjaInvoices = csv(
  '"Client Name","Client Currency","Invoice Invoice Number","Invoice Amount","Invoice Balance","Invoice Paid to Date","Invoice PO Number","Invoice Date","Invoice Due Date","Invoice Status"',
  '"Pema Ltd","BTN","INV-0040","100","0","100","","2026-08-01","2026-08-31","Paid"',
  '"Pema Ltd","BTN","INV-0041","1500.5","1500.5","0","","2026-10-01","2026-10-31","Sent"',
  '"Tashi ""Cell"" Crafts","INR","INV-0042","2000","1250","750","","2026-10-02","2026-12-31","Partial"',
  '"Pema Ltd","EUR","INV-0043","10","10","0","","2026-10-03","","Sent"',
  '"Nobody","BTN","INV-0044","10","10","0","","2026-10-03","","Sent"',
  '"Pema Ltd","BTN","","10","0","0","","2026-10-03","","Draft"',
);

export const stripeCustomers = csv(
  'id,Description,Email,Name,Created (UTC),Delinquent,Currency',
  'cus_A1,,dorji@example.bt,Dorji Wangmo,2026-01-05 08:00,false,usd',
  'cus_B2,,,,2026-01-06 08:00,false,usd',
);

export const stripePrices = csv(
  'Price ID,Product ID,Product Name,Product Statement Descriptor,Product Tax Code,Description,Created (UTC),Amount,Currency,Interval,Interval Count,Usage Type,Aggregate Usage,Billing Scheme,Trial Period Days,Tax Behavior',
  'price_1,prod_1,Support,,,,2026-01-01 05:57,29.90,usd,,,,,per_unit,,unspecified',
  'price_2,prod_1,Support,,,,2026-01-01 05:57,"2,500.00",inr,,,,,per_unit,,exclusive',
  'price_3,prod_1,Support,,,,2026-01-01 05:57,31.00,usd,,,,,per_unit,,exclusive',
  'price_4,prod_2,Club,,,,2026-01-01 05:57,9.00,usd,month,1,licensed,,per_unit,,unspecified',
  'price_5,prod_3,Book,,,,2026-01-01 05:57,9.00,usd,,,,,per_unit,,inclusive',
  'price_6,prod_4,Support,,,,2026-01-01 05:57,9.00,usd,,,,,per_unit,,exclusive',
);

export const stripeInvoices = csv(
  'id,Amount Due,Billing,Closed,Currency,Customer,Customer Name,Customer Email,Date (UTC),Due Date (UTC),Description,Number,Paid,Total,Amount Paid,Status',
  'in_1,90.00,send_invoice,false,usd,cus_A1,Dorji Wangmo,dorji@example.bt,2026-10-01 07:00,2026-10-31 23:59,Support,AB12CD34-0007,false,90.00,0.00,open',
  'in_2,50.00,send_invoice,false,usd,cus_C3,Karma,karma@example.bt,2026-10-02 07:00,2026-11-01 23:59,,AB12CD34-0008,false,50.00,20.00,open',
  'in_3,50.00,send_invoice,true,usd,cus_A1,Dorji Wangmo,dorji@example.bt,2026-10-02 07:00,,,AB12CD34-0006,true,50.00,50.00,paid',
  'in_4,50.00,send_invoice,false,usd,cus_A1,Dorji Wangmo,dorji@example.bt,2026-10-02 07:00,,,,false,50.00,0.00,draft',
  'in_5,50.00,send_invoice,true,usd,cus_A1,Dorji Wangmo,dorji@example.bt,2026-10-02 07:00,,,AB12CD34-0005,false,50.00,0.00,void',
  'in_6,50.00,send_invoice,false,usd,cus_A1,Dorji Wangmo,dorji@example.bt,2026-10-02 07:00,,,AB12CD34-0007,false,50.00,0.00,open',
  'in_7,fifty,send_invoice,false,usd,cus_A1,Dorji Wangmo,dorji@example.bt,2026-10-02 07:00,,,AB12CD34-0009,false,50.00,0.00,open',
);

export const razorpayItems = csv(
  'id,active,name,description,amount,unit_amount,currency,type,unit,tax_inclusive,hsn_code,sac_code,tax_rate',
  'item_1,true,English August,A story,20000,20000,INR,invoice,,false,49011010,,5',
  'item_2,true,Course,,39900,39900,INR,invoice,,true,,999293,18',
  'item_3,false,Old,,100,100,INR,invoice,,false,,,',
);

export const razorpayInvoices = csv(
  'id,entity,receipt,invoice_number,customer_id,customer_name,customer_email,customer_contact,status,expire_by,issued_at,date,amount,amount_paid,amount_due,currency,description',
  'inv_1,invoice,,2026/17,cust_G1,Gaurav,gaurav@example.com,+919000090000,issued,1798675199,1790812800,1790812800,150050,0,150050,INR,Books',
  'inv_2,invoice,,2026/18,cust_G1,Gaurav,gaurav@example.com,+919000090000,partially_paid,31/12/2026 18:00:00,,02/10/2026 10:00:00,100000,40000,60000,INR,',
  'inv_3,invoice,,2026/19,cust_G1,Gaurav,gaurav@example.com,+919000090000,cancelled,,,1790812800,100,0,100,INR,',
  'inv_4,invoice,,2026/20,cust_G1,Gaurav,gaurav@example.com,+919000090000,issued,,,1790812800,100,0,90,INR,',
);
