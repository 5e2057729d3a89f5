//! Uses the Rust client of openapi-generator: creates, lists, reads an event, and meets what a later release adds, and an error.
use remit::apis::{configuration::Configuration, events_api, invoices_api, Error};
use remit::models;
use std::{env::var, time::Duration};

fn client_with(url: &str, key: &str) -> Configuration {
    let mut client = Configuration::new();
    client.base_path = var(url).unwrap();
    client.bearer_access_token = Some(key.to_string());
    client
}

#[tokio::main]
async fn main() {
    let key = var("REMIT_API_KEY").unwrap();
    let (now, later) = (client_with("REMIT_URL", &key), client_with("REMIT_LATER_URL", &key));
    let customer = "openapi-rust";
    let currency = models::create_invoice::Currency::Usd;
    let mut body = models::CreateInvoice::new(currency, "Generated".to_string());
    body.customer_id = Some(customer.to_string());
    body.amount = Some(1250);
    let created = invoices_api::create_invoice(&now, body, None, None, None).await.unwrap();
    assert_eq!(created.status, "pending");
    let listed = invoices_api::list_invoices(&now, None, None, None, Some(customer), None, None, None, None, None, None, None);
    assert_eq!(listed.await.unwrap().data[0].id, created.id);

    let unknown = invoices_api::get_invoice(&later, &created.id, None).await.unwrap();
    assert_eq!(unknown.status, "of_a_later_release");

    loop {
        let events = events_api::list_events(&now, None, None, None, None, None).await.unwrap();
        if events.data.iter().any(|event| event.data["id"] == created.id.as_str()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let events = events_api::list_events(&later, None, None, None, None, None).await.unwrap();
    assert_eq!(events.data[0].r#type, "invoice.of_a_later_release");
    let event = events_api::get_event(&now, &events.data[0].id, None).await.unwrap();
    assert_eq!(event.api_version, "2026-11-23");

    let stranger = client_with("REMIT_URL", "sk_test_wrong");
    match invoices_api::get_invoice(&stranger, &created.id, None).await {
        Err(Error::ResponseError(refused)) => assert_eq!(refused.status.as_u16(), 401),
        other => panic!("unexpected: {other:?}"),
    }
}
